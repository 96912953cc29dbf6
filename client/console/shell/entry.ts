import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';

import { tabTexts } from '../browser-storage.ts';
import { Credential } from '../credential.ts';
import { silent, Unreachable } from '../service.ts';

/** `lost`: the service could not say who is signed in. */
type Way = 'asking' | 'lost' | 'out' | 'in';

/** Credential of this page, and how far somebody is in. */
export function useEntry() {
  const credential = useMemo(() => new Credential(), []);
  const [entry, setEntry] = useState<Way>(() => (credential.key === undefined ? 'asking' : 'in'));
  const [fault, setFault] = useState<Error>();
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (entry !== 'asking') return;
    credential.signIn().then(
      (isIn) => setEntry(isIn ? 'in' : 'out'),
      () => setEntry('lost'),
    );
  }, [entry]);
  const signOut = useCallback(() => {
    setFault(undefined);
    void credential.leave().then(
      () => {
        // The next person in this tab is another writer.
        tabTexts.removeItem('quire.writer');
        setRefused(false);
        return setEntry('out');
      },
      () => setFault(new Unreachable(`${silent} You are still signed in.`)),
    );
  }, []);
  return { credential, entry, setEntry, signOut, fault, isRefused, setRefused };
}
