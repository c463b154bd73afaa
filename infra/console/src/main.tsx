/** The console's entry. */
import { render } from 'preact';
import { App } from './app';
import { SessionProvider, takeKey } from './session';
import './style.css';

const place = document.getElementById('console');
if (place !== null) {
  const key = takeKey(window.location, window.history);
  render(
    <SessionProvider initialKey={key}>
      <App />
    </SessionProvider>,
    place,
  );
}
