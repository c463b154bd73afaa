import { describe, expect, it } from 'vitest';
import { type Advice, canGoTo, type Flow, type FlowEvent, nextOf, onPaperAlone, type Stage, startOf } from './flow';

const advice = (copy: boolean | null): Advice => ({ copy, lines: ['a warning'], suggested: {} });
const following = (events: FlowEvent[], from: Flow = startOf(false)) => events.reduce(nextOf, from);
const sized: FlowEvent[] = [{ type: 'chosen' }, { type: 'advised', advice: advice(true) }, { type: 'read', read: true }, { type: 'sized' }];

describe('the flow to an agent', () => {
  it('goes from the leader to the size, the wallet and the agent', () => {
    expect(following([{ type: 'chosen' }]).stage).toBe('size');
    expect(following(sized).stage).toBe('wallet');
    expect(following([...sized, { type: 'signed', in: true }]).stage).toBe('agent');
  });

  it('leaves out the wallet for whoever is signed in', () => {
    expect(following(sized, startOf(true)).stage).toBe('agent');
  });

  it('does not go on before the warnings are read', () => {
    const unread = following([{ type: 'chosen' }, { type: 'advised', advice: advice(true) }, { type: 'sized' }]);
    expect(unread.stage).toBe('size');
    expect(following([{ type: 'read', read: true }, { type: 'read', read: false }, { type: 'sized' }], unread).stage).toBe('size');
  });

  it('has another answer read anew', () => {
    const again = following([{ type: 'chosen' }, { type: 'read', read: true }, { type: 'advised', advice: advice(false) }]);
    expect(again.read).toBe(false);
    expect(following([{ type: 'read', read: true }, { type: 'outdated' }], again)).toMatchObject({ read: false, advice: null });
  });

  it('is on paper alone against the advice and without any, and not where the service has no say', () => {
    expect(onPaperAlone(startOf(true))).toBe(true);
    expect(onPaperAlone(following([{ type: 'advised', advice: advice(false) }]))).toBe(true);
    expect(onPaperAlone(following([{ type: 'advised', advice: advice(true) }]))).toBe(false);
    expect(onPaperAlone(following([{ type: 'advised', advice: advice(null) }]))).toBe(false);
  });

  it('goes back to what was reached, and on again while its conditions hold', () => {
    const end = following([...sized, { type: 'signed', in: true }]);
    const back = nextOf(end, { type: 'to', stage: 'size' });
    expect(back.stage).toBe('size');
    expect(nextOf(back, { type: 'to', stage: 'agent' }).stage).toBe('agent');
    const unread = nextOf(back, { type: 'read', read: false });
    expect(nextOf(unread, { type: 'to', stage: 'agent' }).stage).toBe('size');
    expect(canGoTo(nextOf(end, { type: 'signed', in: false }), 'agent')).toBe(false);
    expect(canGoTo(startOf(true), 'size')).toBe(false);
  });

  it('asks for a wallet again when it is gone', () => {
    const end = following([...sized, { type: 'signed', in: true }]);
    expect(nextOf(end, { type: 'signed', in: false })).toMatchObject({ stage: 'wallet', signedIn: false });
    const elsewhere: Stage = 'size';
    expect(nextOf({ ...end, stage: elsewhere }, { type: 'signed', in: false }).stage).toBe('size');
  });
});
