/** What the service says of copying, in words and a tone. */
export function Says(props: { copy: boolean; trial?: boolean }) {
  return (
    <p class={`says tone-${props.copy ? 'good' : 'caution'}`}>
      {props.copy ? `The service says: copy${props.trial ? ', as a trial' : ''}.` : 'The service says: do not copy.'}
    </p>
  );
}
