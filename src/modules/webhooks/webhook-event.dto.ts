import type { Type } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { capitalize, createModel, createUnion } from '../../validation/union.js';
import type { ChangeKind } from '../changes/change.schema.js';
import { ChangeFields } from '../changes/changes.dto.js';
import { deliveryEvents } from './webhook-delivery.schema.js';

/** Names a changed record, without its personal data. */
class EventData extends OmitType(ChangeFields, ['changedAt', 'record']) {}

class EventFields {
  type!: (typeof deliveryEvents)[number];

  @ApiProperty({ format: 'date-time', description: 'When the event happened.', example: '2027-05-01T10:00:00.000Z' })
  timestamp!: string;

  /** Empty for a `ping`. */
  data!: Partial<EventData>;
}

const dataOf = (kind: ChangeKind, ...absent: (keyof EventData)[]) => {
  const properties = { kind: { description: 'The kind of record.', enum: [kind], example: kind } };
  return createModel(`${capitalize(kind)}EventData`, properties, OmitType(EventData, absent));
};
const models: Readonly<Record<string, Type>> = {
  season: dataOf('season', 'teamId'),
  team: dataOf('team', 'teamId'),
  player: dataOf('player'),
  schedule: dataOf('schedule'),
  'player-statistics': dataOf('playerStatistics', 'revision', 'changedBy'),
};

const discriminator = { name: 'type', description: 'The type of event.', values: deliveryEvents };
/** The body of a webhook in the OpenAPI document, with a model for each type of event. */
export const WebhookMessage = createUnion('WebhookMessage', EventFields, discriminator, (type) => {
  const model = models[type.split('.')[0] ?? ''];
  const data = model
    ? { type: model, description: 'The record that has changed.' }
    : { type: 'object' as const, additionalProperties: false, description: 'Empty.', example: {} };
  const name = type.split(/[.-]/).map(capitalize).join('');
  return { name: `${name}Event`, properties: { data } };
});
export type WebhookMessage = EventFields;
