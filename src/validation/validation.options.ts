import type { ValidationPipeOptions } from '@nestjs/common';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';

/** How Nest's pipe uses class-transformer and class-validator. Values are never converted to the type of their property. */
export const validationOptions = {
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  // A class without a rule would accept everything. Nest turns this off unless it is named.
  forbidUnknownValues: true,
  stopAtFirstError: true,
  validationError: { target: true },
  transformOptions: { exposeUnsetFields: false },
  // Otherwise Nest loads them for the first request, by an import of its own.
  validatorPackage: classValidator,
  transformerPackage: classTransformer,
} satisfies ValidationPipeOptions;
