/** Links to what a page can show instead, in a row that scrolls by itself; the present one is in sight. */
import { useEffect, useRef } from 'preact/hooks';
import { hrefOf, type Route } from '../route';

export function Tabs(props: { label: string; present: Route; tabs: readonly { name: string; to: Route }[] }) {
  const row = useRef<HTMLElement>(null);
  const present = hrefOf(props.present);
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (row.current && tab) {
      row.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - row.current.offsetLeft - row.current.clientWidth / 2;
    }
  }, [present]);
  return (
    <nav class="tabs" aria-label={props.label} ref={row}>
      {props.tabs.map(({ name, to }) => (
        <a key={name} href={hrefOf(to)} aria-current={hrefOf(to) === present ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
