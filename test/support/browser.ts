export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Where it leads, with the origin left out. */
  readonly location: string | undefined;
}

/** A browser as far as cookies, origins and forms go. It follows no redirect by itself. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#send(path, { headers });
  }

  /** Sends a form as from a page of the site, unless told otherwise. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { origin: this.url },
  ): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** The hidden fields of the first form of the page that goes there, with others filled in. */
  async submit(
    page: Page,
    action: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const form = page.text.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
    const hidden = [...form.matchAll(/type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g)];
    const given = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    return this.post(action, { ...given, ...fields });
  }

  async #send(
    path: string,
    { headers, ...rest }: { method?: string; body?: string; headers: Record<string, string> },
  ): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.url + path, {
      ...rest,
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers, ...(cookie !== '' && { cookie }) },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = answer.headers.get('location')?.replace(this.url, '');
    return { status: answer.status, text: await answer.text(), headers: answer.headers, location };
  }
}
