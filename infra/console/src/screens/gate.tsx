/** Asks for a partner's key. It is kept in memory alone, and asked for again in every tab. */
import { useId, useState } from 'preact/hooks';
import { useSession } from '../session';

export function Gate() {
  const { setKey, refused } = useSession();
  const [text, setText] = useState('');
  const id = useId();
  return (
    <section class="gate card" aria-labelledby="gate-title">
      <h1 id="gate-title">Your partner key</h1>
      <p>
        The console asks the same API that you integrate, with your key. It stays in this tab's memory: it is not stored, and gone when you
        close or reload the page.
      </p>
      {refused && (
        <p class="problem" role="alert">
          {refused}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const key = text.trim();
          if (key !== '') {
            setKey(key);
          }
        }}
      >
        <div class="field">
          <label for={id}>Key</label>
          <input
            id={id}
            type="password"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            placeholder="mw_live_… or mw_test_…"
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <button type="submit" class="primary">
          Open the console
        </button>
      </form>
    </section>
  );
}
