import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Unreachable } from '../service.ts';
import { Fault } from './fault.tsx';

const unsent = 'The service did not send this part of the page.';

/** Loads the page anew, which may be of another version by now, if the service answers. */
async function reload(): Promise<void> {
  const answers = await fetch(location.pathname).then(
    () => true,
    () => false,
  );
  if (answers) location.reload();
}

/** Returns a component whose code is loaded when it is first shown. */
export function lazy<Properties extends object>(
  load: () => Promise<{ readonly default: ComponentType<Properties> }>,
): ComponentType<Properties> {
  let known: ComponentType<Properties> | undefined;
  return function Lazy(properties: Properties) {
    const [Loaded, setLoaded] = useState(() => known);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (known) return;
      const fetchCode = async () => {
        try {
          const loaded = await load();
          known = loaded.default;
          setLoaded(() => loaded.default);
        } catch (cause) {
          setError(new Unreachable(unsent, { cause }));
        }
      };
      void fetchCode();
    }, []);
    if (error) return <Fault error={error} again={() => void reload()} />;
    return Loaded ? <Loaded {...properties} /> : null;
  };
}
