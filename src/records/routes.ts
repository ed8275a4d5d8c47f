import { applyDecorators, Delete, Get, HttpCode, Patch, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiErrors, BodyLimit, RequiresScope } from '../access/access.decorators.js';
import { BooleanField } from '../validation/fields.js';
import { MessageResponse } from '../http/paging.js';
import type { RouteReturning } from '../http/returns.decorator.js';
import { BulkResponse, type BulkShell } from './bulk.dto.js';
import { Conditional } from './conditional.guard.js';

type Kind = 'team' | 'player' | 'schedule';

export function GetByExternalId<T extends object>(kind: Kind, response: Type<T>): RouteReturning<T> {
  return applyDecorators(
    Get('by-external-id/:externalId'),
    RequiresScope(`${kind}s:read`),
    Conditional('read'),
    ApiOperation({
      summary: `Get a ${kind} by its external ID`,
      description: `Returns the ${kind} that has this external ID.`,
    }),
    ApiErrors(`${kind}NotFound`),
    ApiOkResponse({ type: response, description: `The ${kind}.` }),
  );
}

export class UpsertQuery {
  @BooleanField({ description: 'Returns 404 instead of creating the record.', query: true, default: false })
  updateOnly = false;
}

/** A route that creates or updates a record by its external ID. */
export function Upsert<T extends object>(kind: Kind, response: Type<T>): RouteReturning<T> {
  return applyDecorators(
    Patch('by-external-id/:externalId'),
    RequiresScope(`${kind}s:write`),
    Conditional('update'),
    ApiOperation({
      summary: `Create or update a ${kind}`,
      description: `Updates the fields that you send if a ${kind} has this external ID. Otherwise creates the ${kind}, which requires the same fields as \`POST\` and sets the same defaults; with \`If-Match\`, only updates, and with \`If-None-Match: *\`, only creates. Repeating an identical request creates only one ${kind}.`,
    }),
    ApiErrors(`${kind}NotFound`),
    ApiOkResponse({ type: response, description: `The updated ${kind}.` }),
    ApiCreatedResponse({ type: response, description: `The created ${kind}.` }),
  );
}

export function DeleteByExternalId(kind: Kind): RouteReturning<MessageResponse> {
  return applyDecorators(
    Delete('by-external-id/:externalId'),
    RequiresScope(`${kind}s:write`),
    Conditional('delete'),
    ApiOperation({
      summary: `Delete a ${kind} by its external ID`,
      description: `Deletes the ${kind} that has this external ID. Then another ${kind} can have it.`,
    }),
    ApiErrors(`${kind}NotFound`),
    ApiOkResponse({ type: MessageResponse, description: `The ${kind} was deleted.` }),
  );
}

/** A public route that creates, updates or deletes up to 100 records by their external IDs. */
export function BulkUpsert(
  kind: Kind,
  body: Type<BulkShell>,
  response: Type<BulkResponse> = BulkResponse,
): RouteReturning<BulkResponse> {
  return applyDecorators(RequiresScope(`${kind}s:write`), BulkRoute('bulk', kind, body, response) as MethodDecorator);
}

/** A route as `BulkUpsert`, of any caller. */
export function BulkRoute(
  path: string,
  kind: Kind,
  body: Type<BulkShell>,
  response: Type<BulkResponse> = BulkResponse,
): RouteReturning<BulkResponse> {
  return applyDecorators(
    Post(path),
    HttpCode(200),
    BodyLimit({ bytes: 1_048_576 }),
    ApiOperation({
      summary: `Create, update or delete many ${kind}s`,
      description: `Creates, updates or deletes up to 100 ${kind}s by their \`externalId\`, and returns a result for each row. An ID can occur twice if the first row deletes its record, which the second one creates again. A failed row does not affect the others. Repeating the request is safe, unless others have changed the same records meanwhile.`,
    }),
    ApiBody({ type: body }),
    ApiOkResponse({ type: response, description: 'The result of each row.' }),
  );
}
