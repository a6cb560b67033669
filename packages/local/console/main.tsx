import { render } from 'preact';
import { takeToken } from './api.js';
import { App } from './app.js';
import { onKey } from './keys.js';
import { readAddress } from './route.js';
import { listen, startClock } from './store.js';

takeToken();
readAddress();
addEventListener('popstate', readAddress);
addEventListener('keydown', onKey);
render(<App />, document.body);
startClock();
void listen();
