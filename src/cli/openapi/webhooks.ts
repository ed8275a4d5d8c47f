import type { OpenAPIObject } from '@nestjs/swagger';
import { WebhookMessage } from '../../modules/webhooks/webhook-event.dto.js';

const headers = {
  'webhook-id': ['Identifies the event, even when it is sent again.', '6650f1f77bcf86cd799439a1'],
  'webhook-timestamp': ['When the request was sent, in seconds since 1970.', '1809165600'],
  'webhook-signature': [
    'One or two signatures of the request, as Standard Webhooks describes.',
    'v1,k2rXI6qWwbfkBTBVzXLA+Had5RVKhcNL/iXcRyWWs2g=',
  ],
};

/** Adds a webhook for each type of event to a document. `all` has the schemas of the events. */
export function addWebhooks(document: OpenAPIObject, all: OpenAPIObject): void {
  const { [WebhookMessage.name]: union = {} } = all.components?.schemas ?? {};
  const { mapping = {} } = ('discriminator' in union && union.discriminator) || {};
  const parameters = Object.entries(headers).map(([name, [description = '', example]]) => {
    const parameter = { name, in: 'header' as const, required: true, description, schema: { type: 'string' }, example };
    return [name, parameter] as const;
  });
  document.components = { ...document.components, parameters: Object.fromEntries(parameters) };
  const webhooks = Object.entries(mapping).map(([type, $ref]) => {
    const post = {
      operationId: $ref.split('/').at(-1) ?? type,
      tags: ['Webhooks'],
      summary: type,
      description: `Sent to the endpoints that receive \`${type}\`.`,
      security: [{}],
      parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': { schema: { $ref } } } },
      responses: { '2XX': { description: 'The event was received. After any other response it is sent again.' } },
    };
    return [type, { post }] as const;
  });
  document.webhooks = Object.fromEntries(webhooks);
}
