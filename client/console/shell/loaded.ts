import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly again: () => void;
}

/** Loads a value when a screen is shown, when one of `inputs` changes, and on request. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const run = async () => {
      try {
        const loaded = await load(abort.signal);
        setValue(() => loaded);
        setError(undefined);
      } catch (fault) {
        if (!abort.signal.aborted) setError(fault as Error);
      }
    };
    void run();
    return () => abort.abort();
  }, [...inputs, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { value, error, again };
}
