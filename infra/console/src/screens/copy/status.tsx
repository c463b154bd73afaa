/** The states of agents and executions as words on a ground of their tone. */
import type { Agent, Execution } from '@mirrorworthy/client';
import { Tag } from '../../parts/text';
import { word } from '../../words';

const agentTones: Record<Agent['status'], 'good' | 'caution' | 'unknown' | 'plain'> = {
  active: 'good',
  pending_activation: 'caution',
  paused: 'plain',
  expired: 'caution',
  stopped: 'unknown',
};

export function AgentStatus(props: { status: Agent['status'] }) {
  return <Tag tone={agentTones[props.status] ?? 'unknown'}>{word(props.status)}</Tag>;
}

const executionTones: Record<Execution['status'], 'good' | 'caution' | 'bad' | 'unknown' | 'plain'> = {
  detected: 'plain',
  submitted: 'plain',
  executed: 'good',
  partial: 'caution',
  skipped: 'unknown',
  failed: 'bad',
};

export function ExecutionStatus(props: { status: Execution['status'] }) {
  return <Tag tone={executionTones[props.status] ?? 'unknown'}>{word(props.status)}</Tag>;
}
