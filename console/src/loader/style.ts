import type { Launcher } from "../api/types";
import { parseHex, textOn } from "../shared/contrast";

/** On narrower or lower screens than this the chat takes all of the screen. */
export const FULL_SCREEN = "(max-width:520px),(max-height:480px)";

/**
 * Everything the loader draws. It lives in a shadow root, so neither page nor chat can touch the other's style.
 * The launcher stays above the panel until the chat has answered: a chat that cannot load can always be closed.
 */
export function styleSheet({ brandColor, theme, bottom, right }: Launcher): string {
  const brand = parseHex(brandColor);
  const fill = brand ? brandColor : "#0ea5e9";
  const text = textOn(brand ?? [14, 165, 233]);
  const ground = theme === "dark" ? "#0d1217" : "#f1f0eb";
  return `:host{all:initial}
[hidden]{display:none!important}
button,div{position:fixed;z-index:2147483000;right:${right}px}
button{all:unset;position:fixed;z-index:2147483001;right:${right}px;bottom:${bottom}px;width:56px;height:56px;border-radius:50%;background:${fill};box-shadow:0 4px 16px #0003;cursor:pointer;forced-color-adjust:none}
button:focus-visible{outline:2px solid ${text};outline-offset:-5px}
button:before{content:"";position:absolute;inset:0;background:${text};clip-path:path("M18 18h20q3 0 3 3v13q0 3-3 3h-9l-8 6v-6h-3q-3 0-3-3v-13q0-3 3-3z")}
[aria-expanded=true]:before{clip-path:path("M20 18l8 8 8-8 2 2-8 8 8 8-2 2-8-8-8 8-2-2 8-8-8-8z")}
span{position:absolute;top:-4px;right:-4px;min-width:10px;padding:0 6px;border-radius:11px;background:#b3261e;color:#fff;font:600 13px/22px system-ui,sans-serif;text-align:center}
div{bottom:${bottom + 68}px;width:448px;height:768px;max-width:calc(100vw - ${right * 2}px);max-height:calc(100dvh - ${bottom + 84}px);border-radius:10px;overflow:hidden;background:linear-gradient(${fill} 64px,${ground} 0);box-shadow:0 8px 32px #0004}
iframe{width:100%;height:100%;border:0;opacity:0;color-scheme:${theme}}
.shown iframe{opacity:1}
@media ${FULL_SCREEN}{div{inset:0;width:auto;height:100dvh;max-width:none;max-height:none;border-radius:0}.ready+button{display:none}}
@media (prefers-reduced-motion:no-preference){iframe{transition:opacity .12s ease-out}div{animation:a .2s ease-out}@keyframes a{0%{opacity:0;translate:0 12px}}}
@media print{button,div{display:none}}`;
}
