import type { TFunction } from "i18next";
import type { Problem } from "../../api/problem";

/** What happened, in the shopper's words. */
export function problemText(t: TFunction, problem: Problem): string {
  switch (problem.code) {
    case "network":
    case "timeout":
    case "rate_limited":
    case "starting":
    case "backlog":
    case "chatbot_suspended":
    case "unknown_key":
    case "origin_refused":
    case "demo_mode":
    case "too_large":
      return t(`problem.${problem.code}`);
    case "invalid":
    case "malformed":
      return t("problem.invalid");
    default:
      return t("problem.internal");
  }
}
