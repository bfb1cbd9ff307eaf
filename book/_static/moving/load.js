// Loads the scripts of the figures of a page in their order: when the page is there, or at once for the first screen.
{
    const { src, dataset } = document.currentScript;
    const load = () => dataset.scripts.split(" ").forEach((name) => {
        const script = document.createElement("script");
        script.async = false;
        script.src = new URL(`../${name}`, src).href;
        document.head.append(script);
    });
    const boxes = [...document.querySelectorAll("[data-moving]")];
    const first = ({ dataset: { over } }) => document.getElementById(over)?.getBoundingClientRect().top < innerHeight;
    if (boxes.some(first)) load();
    else addEventListener("load", load);
}
