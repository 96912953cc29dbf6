export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Address of a redirect, without its origin. */
  readonly location: string | undefined;
}

/** Cookies, origins and forms of a browser. It follows no redirect by itself. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#send(path, { headers });
  }

  /** Sends a form, by default as from a page of the site. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { origin: this.url },
  ): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** Sends the first form of a page, with its hidden fields and some others. */
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
