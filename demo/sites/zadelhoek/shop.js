// The frame size beside the measuring guide; without it the table says the same.
const citySizes = [49, 53, 57, 61, 65];
const gravelSizes = [46, 49, 52, 55, 58, 61];

const nearest = (sizes, wanted) =>
  sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best));

for (const form of document.querySelectorAll('[data-calculator="frame"]')) {
  const answer = () => {
    const inseam = form.elements.inseam;
    const output = form.querySelector("output");
    output.value = inseam.validity.valid && inseam.value
      ? `Stadsfiets ${nearest(citySizes, inseam.value * 0.66)} cm, gravelfiets ${nearest(gravelSizes, inseam.value * 0.61)} cm`
      : "Vul een lengte in tussen 65 en 105 cm.";
  };
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
}
