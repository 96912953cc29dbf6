/** Descriptions of identity events, by kind. */
const words: Readonly<Record<string, string>> = {
  'agent.merged': 'An agent was merged into an account',
  'agent.unlinked': 'An agent was unlinked',
  'claim.confirmed': 'An agent was claimed with a code',
  'claim.denied': 'A code was refused by the link in its letter',
  'claim.requested': 'A code was asked for, to claim an agent',
  'credential.created': 'A key was made',
  'credential.revoked': 'A key was revoked',
  'credential.rotated': 'A key was replaced by a new one',
  'grant.created': 'An application was allowed access',
  'grant.reused': 'A used code or token came again, so the access of an application ended',
  'grant.revoked': 'The access of an application was revoked',
  'otp.failed': 'A wrong code was entered',
  'otp.sent': 'A code was sent by mail',
  'otp.undelivered': 'A code could not be sent by mail',
  'registration.created': 'An agent was registered',
  'registration.expired': 'An agent that nobody used came to its end',
  'session.began': 'Somebody signed in',
  'sign-in.requested': 'A code was asked for, to sign in',
};

/** Returns the description of a kind; an unknown kind is returned as it is. */
export function eventInWords(kind: string): string {
  return words[kind] ?? kind;
}
