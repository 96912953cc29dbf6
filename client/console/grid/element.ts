/** Makes an element with a class. */
export function element<Name extends 'div' | 'canvas'>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}
