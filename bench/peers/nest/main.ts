import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

/** The contract with NestJS, Mongoose and class-validator, as their documentation describes it. */
const app = await NestFactory.create<NestExpressApplication>(AppModule);
// As in this project's server.
app.disable('x-powered-by', 'etag');
app.setGlobalPrefix('v1/public-api');
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(Number(process.env['PORT']), '127.0.0.1');
// Exits with its parent process.
process.once('disconnect', () => process.exit());
