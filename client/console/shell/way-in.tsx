import { useShell } from './context.ts';

/** Next step of somebody whose key, or sign-in, the service does not take any more. */
export function WayIn() {
  const { credential, signOut } = useShell();
  if (!credential.isTyped) return <a href={loginPath()}>Sign in</a>;
  return (
    <button type="button" class="second" onClick={signOut}>
      Use another key
    </button>
  );
}

/** Returns the address of the page for signing in, which leads back to the shown one. */
export function loginPath(): string {
  return `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
}
