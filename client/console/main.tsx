import { render } from 'preact';

import { App } from './shell/app.tsx';

const root = document.querySelector('#console');
if (root) render(<App />, root);
