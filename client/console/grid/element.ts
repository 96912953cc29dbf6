/** Makes an element with a class. */
export function element<Name extends 'div' | 'canvas'>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

/** Gives a canvas the size of its host, in pixels of the screen; one of another size is black. */
export function fitCanvas(canvas: HTMLCanvasElement, host: HTMLElement): void {
  const ratio = window.devicePixelRatio;
  const { clientWidth: width, clientHeight: height } = host;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}
