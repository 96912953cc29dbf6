/**
 * The three public addresses, without a slash at the end. Returns name them, never the Host header.
 */
export interface Addresses {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly siteUrl: string;
}
