<?php

namespace App\Controller;

use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Routing\Attribute\Route;
use Symfony\Component\Security\Http\Authentication\AuthenticationUtils;

final class LoginController
{
    #[Route('/login', name: 'login')]
    public function login(AuthenticationUtils $login): Response
    {
        $error = $login->getLastAuthenticationError();

        return new Response(null === $error ? '' : strtr($error->getMessageKey(), array_map('strval', $error->getMessageData())));
    }

    #[Route('/')]
    public function home(): Response
    {
        return new Response('home');
    }
}
