/**
 * The hours, minutes and seconds on the page's clock. A test that waits for them must bypass the
 * content security policy, because `waitForFunction` injects a script.
 */
export const CLOCK =
  "['--hours', '--minutes', '--rest'].map((name) => Number(getComputedStyle(document.querySelector('.live')).getPropertyValue(name)))";
export const GROUND = 'getComputedStyle(document.body).backgroundColor';

/**
 * A browser expression: the lowest contrast ratio of any text to its background (WCAG 2.2, 1.4.3).
 */
export const WEAKEST_CONTRAST = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => linear(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  const ratio = (element) => {
    const [dark, light] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  return Math.min(...[...document.body.querySelectorAll('*')].filter(hasText).map(ratio));
})()`;
