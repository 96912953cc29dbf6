import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Fault } from './fault.tsx';

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
        } catch (fault) {
          setError(fault as Error);
        }
      };
      void fetchCode();
    }, []);
    if (error) return <Fault error={error} again={() => location.reload()} />;
    return Loaded ? <Loaded {...properties} /> : null;
  };
}
