<?php

namespace App\Queue;

use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Stamp\TransportMessageIdStamp;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

/** A queue in a folder, as that of a database for many consumers: a file for each message, which one consumer can rename. */
final class FolderTransport implements TransportInterface
{
    public function __construct(private string $folder, private SerializerInterface $serializer)
    {
    }

    public function send(Envelope $envelope): Envelope
    {
        $file = $this->folder.'/'.bin2hex(random_bytes(8));
        file_put_contents($file, json_encode($this->serializer->encode($envelope)));
        rename($file, "$file.job");

        return $envelope;
    }

    public function get(): iterable
    {
        foreach (glob("$this->folder/*.job") as $file) {
            if (@rename($file, "$file.taken")) {
                return [$this->serializer->decode(json_decode(file_get_contents("$file.taken"), true))->with(new TransportMessageIdStamp("$file.taken"))];
            }
        }

        return [];
    }

    public function ack(Envelope $envelope): void
    {
        unlink($envelope->last(TransportMessageIdStamp::class)->getId());
    }

    public function reject(Envelope $envelope): void
    {
        $this->ack($envelope);
    }
}
