import { StatusBadge } from '../components/status-badge';
import { texts } from '../texts';

/** The status of an organization or a user. */
export function OrganizationStatus({ disabled }: { disabled: boolean }) {
  return (
    <StatusBadge tone={disabled ? 'bad' : 'good'}>{disabled ? texts.status.disabled : texts.status.active}</StatusBadge>
  );
}
