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

// The page's title is the terminal's: it says when a question waits. The terminal in textual.js is out of
// reach here, so the title is read from what it is sent, where it may come in several pieces.
const TITLE = /\x1b\]2;([^\x07]*)\x07/g;
const UNFINISHED = /\x1b(\](2(;[^\x07\x1b]{0,300})?)?)?$/;
window.WebSocket = class extends WebSocket {
  constructor(...address) {
    super(...address);
    const decoder = new TextDecoder();
    let rest = "";
    this.addEventListener("message", ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return;
      const text = rest + decoder.decode(data, { stream: true });
      for (const [, title] of text.matchAll(TITLE)) document.title = title;
      [rest] = text.match(UNFINISHED) ?? [""];
    });
  }
};
