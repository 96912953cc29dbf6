import { render } from 'preact';

import { App } from './shell/app.tsx';
import { followTheme } from './shell/theme.ts';

followTheme();

const root = document.querySelector('#console');
if (root) render(<App />, root);
