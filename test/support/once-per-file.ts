import t from 'tap';

/** Makes a value when a file of tests first asks for it, and forgets it at the end of the file. */
export function oncePerFile<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    if (made) return made.value;
    made = { value: make() };
    t.teardown(() => {
      made = undefined;
    });
    return made.value;
  };
}
