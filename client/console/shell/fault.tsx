import { useState } from 'preact/hooks';

import { Problem } from '../service.ts';
import { useShell } from './context.ts';
import { WayIn } from './way-in.tsx';
import { hintForPeople, restoringCall, withoutPointer } from './words-for-people.ts';

interface FaultParts {
  readonly error: Error;
  readonly again?: () => void;
}

/** A failure in words: what happened, what to do, and the id for the operator. */
export function Fault({ error, again }: FaultParts) {
  const problem = error instanceof Problem ? error : undefined;
  const hint = hintForPeople(problem?.hint);
  return (
    <div class="fault" role="alert">
      <p>{withoutPointer(error.message)}</p>
      {hint !== undefined && <p class="quiet">{hint}</p>}
      <p>
        {again && (
          <button type="button" onClick={again}>
            Try again
          </button>
        )}
        {problem && <Remedy problem={problem} again={again} />}
        {problem && (
          <a href={`/problems/${problem.code}`} target="_blank" rel="noreferrer">
            {problem.code}
          </a>
        )}
        {problem?.requestId !== undefined && <RequestId id={problem.requestId} />}
      </p>
    </div>
  );
}

interface RemedyParts {
  readonly problem: Problem;
  readonly again: FaultParts['again'];
}

/** The call that a hint names, as a button, and the way back in for who is signed out. */
function Remedy({ problem, again }: RemedyParts) {
  const { service } = useShell();
  const [state, setState] = useState<'done' | Error>();
  const path = restoringCall(problem.hint);
  if (problem.status === 401) return <WayIn />;
  if (path === undefined) return null;
  if (state === 'done') return <span>It is restored.</span>;
  const restore = async () => {
    await service.ask(path, { method: 'POST' });
    setState('done');
    again?.();
  };
  return (
    <>
      <button type="button" class="second" onClick={() => void restore().catch(setState)}>
        Restore it
      </button>
      {state && <span>{state.message}</span>}
    </>
  );
}

/** Id of a request, for whoever runs the service. */
function RequestId({ id }: { id: string }) {
  const [told, setTold] = useState('Copy the id');
  const copy = () => {
    navigator.clipboard.writeText(id).then(
      () => setTold('Copied'),
      // Without permission the id stands there to be selected.
      () => setTold('Select it to copy it'),
    );
  };
  return (
    <>
      <code class="quiet">{id}</code>
      <button type="button" class="second" onClick={copy}>
        {told}
      </button>
    </>
  );
}
