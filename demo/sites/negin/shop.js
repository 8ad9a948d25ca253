// The ring size beside the measuring guide; without it the table says the same.
const persian = new Intl.NumberFormat("fa-IR", { useGrouping: false });

for (const form of document.querySelectorAll('[data-calculator="ring"]')) {
  const answer = () => {
    const diameter = form.elements.diameter;
    const size = 2 * Math.round((diameter.value * Math.PI) / 2);
    form.querySelector("output").value = diameter.validity.valid && diameter.value
      ? `سایز ${persian.format(Math.min(68, Math.max(48, size)))}`
      : "عددی میان ۱۵ و ۲۲ میلی‌متر بنویسید.";
  };
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
}
