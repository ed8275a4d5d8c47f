import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { UsersModule } from '../users/users.module.js';
import { ApiKeyAuthenticator, SecretVerifier } from './api-key-authenticator.js';
import { ApiKeyRecord, apiKeySchema } from './api-key.schema.js';
import { ApiKeysController, OwnKeyController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyUsage } from './key-usage.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: ApiKeyRecord.name, schema: apiKeySchema }]),
    OrganizationsModule,
    UsersModule,
  ],
  controllers: [ApiKeysController, OwnKeyController],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyAuthenticator, SecretVerifier, KeyUsage],
  exports: [ApiKeysService, ApiKeyAuthenticator, KeyUsage],
})
export class ApiKeysModule {}
