// The side bar shows the page that is read: the theme keeps its place from the page before.
(function () {
  "use strict";

  function show() {
    const bar = document.querySelector(".bd-sidebar-primary");
    const here = [...document.querySelectorAll(".bd-sidebar-primary li.current.active > a")].pop();
    if (!bar || !here) return;
    const [frame, entry] = [bar.getBoundingClientRect(), here.getBoundingClientRect()];
    const seen = entry.top >= frame.top && entry.bottom <= Math.min(frame.bottom, window.innerHeight);
    if (!seen) bar.scrollTop += entry.top - frame.top - bar.clientHeight / 3;
  }

  window.addEventListener("load", () => requestAnimationFrame(show)); // when the page has its layout
}());
