// @ts-check
// Without this script each form loads a page. With it the result alone is asked for, and the newest question ends the one before.
(() => {
  document.documentElement.classList.add("js");
  const result = /** @type {HTMLElement} */ (document.getElementById("result"));
  const status = /** @type {HTMLElement} */ (document.getElementById("status"));
  /** Milliseconds without a change after which a dragged scale is asked about. */
  const pause = 120;
  /** @type {AbortController | undefined} */
  let asked;

  /** @param {HTMLFormElement} form */
  async function ask(form) {
    asked?.abort();
    const own = (asked = new AbortController());
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) body.append(name, String(value));
    // A field may be called "dataset", and form.dataset is then that field: attributes are read as such.
    const address = form.method === "get" ? `${form.action}?${body}` : form.action;
    result.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => (status.textContent = "Asking …"), 400);
    try {
      const answer = await fetch(address, {
        method: form.method,
        headers: { "x-residua-fragment": "1" },
        ...(form.method === "get" ? {} : { body }),
        signal: own.signal,
      });
      const text = await answer.text();
      if (own.signal.aborted) return;
      result.innerHTML = text;
      status.textContent = result.querySelector("[data-status]")?.getAttribute("data-status") ?? "";
      if (form.hasAttribute("data-address")) history.replaceState(null, "", address);
    } catch (error) {
      if (own.signal.aborted) return;
      status.textContent =
        "The explorer does not answer: see whether residua explore still runs, and start it again.";
    } finally {
      clearTimeout(slow);
      if (asked === own) result.removeAttribute("aria-busy");
    }
  }

  /** Leaves the layers that the chosen scorer has. @param {HTMLFormElement} form */
  function fitLayers(form) {
    const scorer = /** @type {HTMLSelectElement | null} */ (form.querySelector("[name=scorer]"));
    const layer = /** @type {HTMLSelectElement | null} */ (form.querySelector("[name=layer]"));
    if (!scorer || !layer) return;
    const own = scorer.selectedOptions[0]?.dataset["layers"]?.split(" ") ?? [];
    for (const option of layer.options) option.disabled = option.hidden = !own.includes(option.value);
    if (!own.includes(layer.value)) layer.value = own[Math.floor((own.length * 2) / 3)] ?? "";
  }

  /**
   * The slider and the number beside it are one scale. A result says how far the slider should go; it is not moved under a hand.
   * @param {HTMLFormElement} form
   */
  function joinSlider(form) {
    const slider = /** @type {HTMLInputElement | null} */ (form.querySelector("[data-slider]"));
    const number = /** @type {HTMLInputElement | null} */ (form.querySelector("[data-live-input]"));
    const unit = /** @type {HTMLSelectElement | null} */ (form.querySelector("[name=unit]"));
    if (!slider || !number || !unit) return;
    let held = false;
    /** @param {number} most */
    const reach = (most) => {
      if (held || !(most > 0) || Number(slider.max) === most) return;
      Object.assign(slider, {
        min: String(-most),
        max: String(most),
        step: `1e${Math.floor(Math.log10(most)) - 1}`,
      });
      slider.value = number.value;
    };
    const fit = () => {
      const own = result.querySelector("[data-most]")?.getAttribute("data-most");
      reach(Number((unit.value === "vector" && own) || unit.selectedOptions[0]?.dataset["most"]));
    };
    slider.addEventListener("input", () => (number.value = slider.value));
    number.addEventListener("input", () => (slider.value = number.value));
    slider.addEventListener("pointerdown", () => (held = true));
    for (const name of ["pointerup", "pointercancel"]) {
      slider.addEventListener(name, () => {
        held = false;
        fit();
      });
    }
    unit.addEventListener("change", fit);
    new MutationObserver(fit).observe(result, { childList: true });
    fit();
  }

  for (const form of document.querySelectorAll("form")) {
    if (!form.hasAttribute("data-live")) continue;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let soon;
    fitLayers(form);
    joinSlider(form);
    const askSoon = () => {
      clearTimeout(soon);
      // An older answer must not come in the meantime.
      asked?.abort();
      soon = setTimeout(() => form.checkValidity() && void ask(form), pause);
    };
    form.addEventListener("submit", (event) => {
      if (event.submitter && "page" in event.submitter.dataset) return;
      event.preventDefault();
      clearTimeout(soon);
      void ask(form);
    });
    form.addEventListener("change", (event) => {
      const field = /** @type {HTMLElement} */ (event.target);
      if (field.getAttribute("name") === "scorer") fitLayers(form);
      // A prompt that is still being written is asked about when its writer says so.
      if (field.tagName !== "TEXTAREA" && (result.childElementCount > 0 || form.method === "get")) askSoon();
    });
    form.addEventListener("input", (event) => {
      const field = /** @type {HTMLElement} */ (event.target);
      if ("slider" in field.dataset || "liveInput" in field.dataset) askSoon();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
  }
})();
