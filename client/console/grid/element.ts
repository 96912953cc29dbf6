/** Makes an element with a class. */
export function element<Name extends 'div' | 'canvas'>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

/**
 * Gives a canvas the size of its host in pixels of the screen. Setting a size clears a canvas, even
 * to the same size, so one that fits is left alone.
 */
export function fitCanvas(canvas: HTMLCanvasElement, host: HTMLElement, zoom: number): void {
  const ratio = window.devicePixelRatio * zoom;
  const { clientWidth: width, clientHeight: height } = host;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  if (canvas.width === across && canvas.height === down) return;
  canvas.width = across;
  canvas.height = down;
}
