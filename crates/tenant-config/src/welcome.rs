//! What a chatbot says first when its merchant wrote nothing.

use vitrine_domain::Language;

pub(crate) const fn message(language: Language) -> &'static str {
    match language {
        Language::En => "How can I help you?",
        Language::Nl => "Waarmee kan ik u helpen?",
        Language::Fr => "Comment puis-je vous aider ?",
        Language::De => "Wie kann ich Ihnen helfen?",
        Language::It => "Come posso aiutarla?",
        Language::Es => "¿En qué puedo ayudarle?",
        Language::Be => "Чым я магу вам дапамагчы?",
        Language::Ar => "كيف يمكنني مساعدتك؟",
        Language::Fa => "چطور می‌توانم به شما کمک کنم؟",
    }
}
