/** Where the system under test is. */
export interface Stack {
  /** The Dutch bicycle shop. */
  zadelhoek: string;
  /** The Persian jewellery shop. */
  negin: string;
  /** A shop that no chatbot allows. */
  stranger: string;
  widget: string;
  /** Folder of manifests the system watches; journeys may edit it. */
  manifests: string;
  /** Where pictures for people go. */
  pictures: string;
}

function named(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the journeys with cargo xtask test journeys`);
  return value;
}

export const stack: Stack = {
  zadelhoek: named("VITRINE_JOURNEY_ZADELHOEK"),
  negin: named("VITRINE_JOURNEY_NEGIN"),
  stranger: named("VITRINE_JOURNEY_STRANGER"),
  widget: named("VITRINE_JOURNEY_WIDGET"),
  manifests: named("VITRINE_JOURNEY_MANIFESTS"),
  pictures: named("VITRINE_JOURNEY_PICTURES"),
};
