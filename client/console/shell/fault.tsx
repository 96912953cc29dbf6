import { Problem } from '../service.ts';

/** A refusal in words: what, what to do next, and the id that the operator can look up. */
export function Fault({ error, again }: { error: Error; again?: () => void }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div class="fault" role="alert">
      <p>{error.message}</p>
      {problem?.hint !== undefined && <p class="quiet">{problem.hint}</p>}
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
