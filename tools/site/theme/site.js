// Loaded in each page's head, before the theme's own script.

// A browser gives a page from the file system no worker. A frame runs the search's script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      this.frame.answer = data => this.answer(structuredClone(data));
      this.frame.srcdoc = `<script>window.postMessage = data => frameElement.answer(data);<\/script>
        <script src="${new URL(url, location.href)}"><\/script>`;
      this.frame.addEventListener("load", () => {
        this.ready = true;
        this.waiting.splice(0).forEach(data => this.send(data));
      });
      document.body.append(this.frame);
    }
    answer(data) {
      const message = new MessageEvent("message", { data });
      if (this.onmessage) this.onmessage(message);
      this.dispatchEvent(message);
    }
    send(data) {
      const inside = this.frame.contentWindow;
      setTimeout(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
    postMessage(data) {
      this.ready ? this.send(structuredClone(data)) : this.waiting.push(structuredClone(data));
    }
    terminate() {
      this.frame.remove();
    }
  };
} else {
  // The index of the search is larger than a page. It is fetched when somebody searches.
  const send = XMLHttpRequest.prototype.send;
  const open = XMLHttpRequest.prototype.open;
  const wanted = new Promise(resolve => {
    if (new URLSearchParams(location.search).has("q")) resolve();
    const search = event => event.target.closest?.(".md-search, [for=__search], .md-search__button") && resolve();
    ["focusin", "pointerdown", "click"].forEach(name => document.addEventListener(name, search, true));
    document.addEventListener("keydown", event => ["f", "s", "/", "k"].includes(event.key) && resolve(), true);
  });
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.isIndex = new URL(url, location.href).pathname.endsWith("/search.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    this.isIndex ? wanted.then(() => send.apply(this, body)) : send.apply(this, body);
  };
}

// Who has no mouse scrolls with the keys: what scrolls can take the focus. The theme's script wraps tables first.
const focusable = () => document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap").forEach(box => {
  box.scrollWidth > box.clientWidth ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
});
["load", "resize"].forEach(name => window.addEventListener(name, focusable));

// The buttons of a block of code are no landmark, and each level of the navigation needs a name. A table without a head has none to read.
window.addEventListener("load", () => {
  document.querySelectorAll(".md-code__nav").forEach(nav => nav.setAttribute("role", "presentation"));
  document.querySelectorAll(".md-nav .md-nav:not(.md-nav--secondary)").forEach(nav => {
    const title = nav.querySelector(":scope > .md-nav__title") || nav.parentElement.querySelector(":scope > .md-nav__link");
    nav.removeAttribute("aria-labelledby");
    nav.setAttribute("aria-label", title.textContent.trim());
  });
  document.querySelectorAll(".md-typeset thead").forEach(head => head.textContent.trim() || head.remove());
  // a corner above the names of rows is no head
  document.querySelectorAll(".md-typeset th:empty").forEach(cell => cell.replaceWith(document.createElement("td")));
});
