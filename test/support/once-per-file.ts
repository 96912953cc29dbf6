import t from 'tap';

/**
 * Returns a function that makes a value at its first call and drops it at the end of the test file.
 */
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
