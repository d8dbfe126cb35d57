// Runs before the first paint. The content security policy forbids inline scripts.
const chosen = localStorage.getItem("nightshift.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
