//! Sentences the server says itself, in every chatbot language.

use crate::language::Language;

/// Said when nothing was found to answer from.
pub const fn refusal(language: Language) -> &'static str {
    match language {
        Language::En => {
            "I could not find that in this shop's information, so I would rather not guess. Could you ask it in other words, or contact the shop directly?"
        }
        Language::Nl => {
            "Dat kan ik niet vinden in de informatie van deze winkel, en ik gok liever niet. Kunt u het anders vragen, of contact opnemen met de winkel?"
        }
        Language::Fr => {
            "Je ne trouve pas cela dans les informations de cette boutique et je préfère ne pas deviner. Pouvez-vous le formuler autrement, ou contacter la boutique ?"
        }
        Language::De => {
            "Das finde ich in den Angaben dieses Geschäfts nicht, und raten möchte ich nicht. Können Sie es anders fragen oder sich direkt an das Geschäft wenden?"
        }
        Language::It => {
            "Non lo trovo nelle informazioni di questo negozio e preferisco non tirare a indovinare. Può chiederlo in altre parole o contattare il negozio?"
        }
        Language::Es => {
            "No lo encuentro en la información de esta tienda y prefiero no adivinar. ¿Puede preguntarlo de otra manera o ponerse en contacto con la tienda?"
        }
        Language::Be => {
            "Я не знайшоў гэтага ў звестках крамы і не хачу адгадваць. Ці можаце вы спытаць іншымі словамі або звярнуцца ў краму?"
        }
        Language::Ar => {
            "لم أجد ذلك في معلومات هذا المتجر، وأفضّل ألا أخمّن. هل يمكنك صياغة السؤال بطريقة أخرى أو التواصل مع المتجر مباشرة؟"
        }
        Language::Fa => {
            "این را در اطلاعات این فروشگاه پیدا نکردم و ترجیح می‌دهم حدس نزنم. می‌توانید جور دیگری بپرسید یا مستقیم با فروشگاه تماس بگیرید؟"
        }
    }
}

/// Said when a turn could not be answered for a technical reason.
pub const fn failure(language: Language) -> &'static str {
    match language {
        Language::En => "Something went wrong on our side and this question was not answered. Please ask it again.",
        Language::Nl => "Er ging bij ons iets mis en deze vraag is niet beantwoord. Stel hem alstublieft opnieuw.",
        Language::Fr => {
            "Un problème est survenu de notre côté et cette question est restée sans réponse. Veuillez la poser à nouveau."
        }
        Language::De => {
            "Bei uns ist etwas schiefgegangen, diese Frage wurde nicht beantwortet. Bitte stellen Sie sie noch einmal."
        }
        Language::It => {
            "Qualcosa non ha funzionato da parte nostra e questa domanda è rimasta senza risposta. La ponga di nuovo, per favore."
        }
        Language::Es => {
            "Algo ha fallado por nuestra parte y esta pregunta ha quedado sin respuesta. Vuelva a hacerla, por favor."
        }
        Language::Be => {
            "Нешта пайшло не так з нашага боку, і гэта пытанне засталося без адказу. Калі ласка, задайце яго яшчэ раз."
        }
        Language::Ar => "حدث خلل من جهتنا ولم نُجب عن هذا السؤال. يُرجى طرحه مرة أخرى.",
        Language::Fa => "مشکلی از سمت ما پیش آمد و به این پرسش پاسخ داده نشد. لطفاً دوباره بپرسید.",
    }
}

/// Stands before a list of products.
pub const fn products_found(language: Language) -> &'static str {
    match language {
        Language::En => "These may suit you:",
        Language::Nl => "Deze passen misschien bij u:",
        Language::Fr => "Ceux-ci pourraient vous convenir :",
        Language::De => "Diese könnten zu Ihnen passen:",
        Language::It => "Questi potrebbero fare al caso suo:",
        Language::Es => "Estos podrían venirle bien:",
        Language::Be => "Магчыма, вам падыдзе:",
        Language::Ar => "قد تناسبك هذه المنتجات:",
        Language::Fa => "این‌ها شاید مناسب شما باشند:",
    }
}
