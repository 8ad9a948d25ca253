import type { ChatbotConfig, Launcher, Source } from "../src/api/types.ts";

export const KEY = "pk_demo";

/** A chatbot's config; `change` replaces whole parts of it. */
export function mockConfig(change: Partial<ChatbotConfig> = {}): ChatbotConfig {
  return {
    key: KEY,
    title: "Zadelhoek",
    agent: "customer_support",
    language: "en",
    interface: {
      headline: "Welcome to Zadelhoek",
      welcome_message: "How can I help you?",
      brand_color: "#0f5f63",
      theme: "light",
      orientation: "ltr",
      bottom: 20,
      right: 20,
      avatar_url: null,
    },
    allowed_domains: ["shop.localhost"],
    show_branding: true,
    demo: false,
    visible: true,
    lead_form: {
      ask: "never",
      fields: ["name", "phone", "email"],
      required: ["name", "phone"],
      privacy_url: "https://shop.example/privacy",
      consent_text: "The shop keeps your details for two years to answer your questions.",
      consent_version: "c-1",
    },
    limits: { message_characters: 300 },
    embed_token: "",
    embed_token_expires_at: "",
    ...change,
  };
}

export function mockLauncher(
  widgetOrigin: string,
  config: ChatbotConfig,
  pages: Launcher["pages"] = { mode: "white", urls: [] },
): Launcher {
  const { brand_color, theme, orientation, bottom, right } = config.interface;
  return {
    key: config.key,
    widgetOrigin,
    title: config.title,
    language: config.language,
    brandColor: brand_color,
    theme,
    orientation,
    bottom,
    right,
    visible: config.visible,
    pages,
  };
}

export interface MockAnswer {
  text: string;
  sources: Source[];
}

export const ANSWERS: Record<"en" | "fa", MockAnswer> = {
  en: {
    text: "Yes. You can return a bicycle within **30 days**, as long as it was ridden less than 20 km [1].\n\nBring these with you:\n- the receipt or your order number\n- the two keys of the lock [2]\n\nThe money is back on your account within 5 working days.",
    sources: [
      { number: 1, title: "Returns and exchanges", url: "https://shop.example/returns", kind: "document" },
      { number: 2, title: "What do I bring when I return a bicycle?", url: null, kind: "faq" },
    ],
  },
  fa: {
    text: "بله. انگشتر را می‌توانید تا **۷ روز** پس از دریافت برگردانید، اگر پلمب آن باز نشده باشد [1].\n\nهمراه داشته باشید:\n- فاکتور خرید\n- شناسنامهٔ سنگ، مانند GIA 2141438171 [2]",
    sources: [
      { number: 1, title: "شرایط بازگرداندن کالا", url: "https://shop.example/returns", kind: "document" },
      { number: 2, title: "شناسنامهٔ سنگ چیست؟", url: "https://shop.example/faq", kind: "faq" },
    ],
  },
};
