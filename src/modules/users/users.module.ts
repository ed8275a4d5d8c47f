import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { KnownNetworks } from './known-networks.js';
import { SecondFactorService } from './second-factor.service.js';
import { UserRecord, userSchema } from './user.schema.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: UserRecord.name, schema: userSchema }])],
  controllers: [UsersController],
  providers: [UsersRepository, UsersService, SecondFactorService, KnownNetworks],
  exports: [UsersRepository, UsersService, SecondFactorService, KnownNetworks],
})
export class UsersModule {}
