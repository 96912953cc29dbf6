import type { ChildProcess } from 'node:child_process';
import process from 'node:process';

/** Ends a child with this process, however that ends; a service stops its PostgreSQL itself. */
export function endsWithUs<Child extends ChildProcess>(child: Child): Child {
  const end = (): void => void child.kill('SIGTERM');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}
