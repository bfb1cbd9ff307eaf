/* A click on a figure, or on the button in its corner, shows it as large as the window; Escape closes it. */
document.addEventListener("DOMContentLoaded", () => {
    const panels = document.querySelectorAll(".classex-panel");
    if (!panels.length) return;
    const dialog = document.createElement("dialog");
    dialog.className = "classex-large";
    dialog.setAttribute("aria-label", "Enlarged figure");
    const large = document.createElement("img");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    dialog.append(close, large);
    document.body.append(dialog);
    dialog.addEventListener("click", () => dialog.close());

    for (const panel of panels) {
        const enlarge = () => {
            const shown = [...panel.querySelectorAll("img")].find((image) => image.offsetParent !== null);
            if (!shown) return;
            large.src = shown.currentSrc || shown.src;
            large.alt = shown.alt;
            dialog.style.setProperty("--classex-ratio", shown.naturalWidth / shown.naturalHeight);
            dialog.showModal();
        };
        const button = document.createElement("button");
        button.type = "button";
        button.className = "classex-enlarge";
        button.setAttribute("aria-label", "Enlarge the figure");
        button.textContent = "⤢";
        button.addEventListener("click", enlarge);
        panel.append(button);
        panel.addEventListener("click", (event) => {
            if (event.target instanceof HTMLImageElement) enlarge();
        });
    }
});
