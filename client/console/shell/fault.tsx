import { Problem } from '../service.ts';
import { hintForPeople, withoutPointer } from './words-for-people.ts';

/** A failure in words: what happened, what to do, and the id for the operator. */
export function Fault({ error, again }: { error: Error; again?: () => void }) {
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
        {problem && (
          <a href={`/problems/${problem.code}`} target="_blank" rel="noreferrer">
            {problem.code}
          </a>
        )}
        {problem?.requestId !== undefined && <code class="quiet">{problem.requestId}</code>}
      </p>
    </div>
  );
}
