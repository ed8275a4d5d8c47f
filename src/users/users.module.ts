import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { userModel, userSchema } from './user.schema.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: userModel, schema: userSchema }])],
  providers: [UsersRepository, UsersService],
  exports: [UsersService],
})
export class UsersModule {}
