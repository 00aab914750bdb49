// Keys go to the terminal from the start, without a click into it.
const focus = new MutationObserver(() => {
  if (document.body.classList.contains("-loaded")) {
    focus.disconnect();
    document.querySelector(".xterm-helper-textarea").focus();
  }
});
document.addEventListener("DOMContentLoaded", () => {
  focus.observe(document.body, { attributes: true, attributeFilter: ["class"] });
});
