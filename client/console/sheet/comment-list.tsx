import { useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { RelativeTime } from '../shell/relative-time.tsx';
import { threadsAt, type Thread } from './comments.ts';
import type { SheetSession } from './sheet-session.ts';

interface ListParts {
  readonly session: SheetSession;
  readonly at: Address;
}

/** Comment threads of a cell: to read, answer, resolve and start. */
export function CommentList({ session, at }: ListParts) {
  const threads = threadsAt(session.records.threads, at);
  const a1 = cellName(at.row, at.column);
  const about = () => ({ author: session.edits.name, at: new Date().toISOString() });
  const isLocked = session.lockedBecause !== undefined;
  return (
    <>
      {threads.map((thread) => (
        <Conversation key={thread.id} thread={thread} session={session} about={about} />
      ))}
      {!isLocked && (
        <Field
          label={threads.length === 0 ? `Comment on ${a1}` : 'Begin another conversation'}
          send="Comment"
          onSend={(text) => session.apply('comment.add', { a1, text, ...about() })}
        />
      )}
      {isLocked && threads.length === 0 && <p class="quiet">There are none.</p>}
    </>
  );
}

interface ThreadParts {
  readonly thread: Thread;
  readonly session: SheetSession;
  /** Returns who writes, and when. */
  readonly about: () => { readonly author: string; readonly at: string };
}

function Conversation({ thread: { id, comments, isResolved }, session, about }: ThreadParts) {
  const isLocked = session.lockedBecause !== undefined;
  const settle = (resolved: boolean) =>
    session.hand({ kind: 'comment.resolve', payload: { thread: id, resolved } });
  return (
    <section class={isResolved ? 'thread settled' : 'thread'} aria-label="Conversation">
      {isResolved && <p class="quiet">Settled</p>}
      <ul class="plain">
        {comments.map((comment) => (
          <li key={comment.id}>
            <strong>{comment.author ?? 'Somebody'}</strong>{' '}
            <span class="quiet">
              {comment.at !== undefined && <RelativeTime at={comment.at} />}
            </span>
            <p>{comment.text}</p>
          </li>
        ))}
      </ul>
      {!isLocked && !isResolved && (
        <Field
          label="Answer"
          send="Answer"
          onSend={(text) =>
            session.hand({ kind: 'comment.reply', payload: { thread: id, text, ...about() } })
          }
        />
      )}
      {!isLocked && (
        <button type="button" class="second" onClick={() => settle(!isResolved)}>
          {isResolved ? 'Open it again' : 'Settle it'}
        </button>
      )}
    </section>
  );
}

interface FieldParts {
  readonly label: string;
  /** Text of the button. */
  readonly send: string;
  readonly onSend: (text: string) => void;
}

function Field({ label, send, onSend }: FieldParts) {
  const [text, setText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form class="fields" onSubmit={submit}>
      <label>
        {label}
        <textarea
          rows={2}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      {text.trim() !== '' && (
        <p class="actions">
          <button type="submit" class="main">
            {send}
          </button>
        </p>
      )}
    </form>
  );
}
