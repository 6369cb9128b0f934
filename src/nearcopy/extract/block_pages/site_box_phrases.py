"""What boxes of a site say that stand in an article's place, in the words of each language."""

from collections.abc import Mapping

BOXES: Mapping[str, str] = {
    "sign-up box": """
        your notification has been saved|saving your notification|get email notifications
        |email notifications are only|new matching items|to allow notifications
        |breaking news alerts|send breaking news|news alerts to you|sign up for our
        |daily newsletter|our newsletter|your email address|invalid email|thank you for subscribing
        |could not subscribe|passwort ist falsch|angegebene passwort|neues passwort
        |passwort zurücksetzen|e mail adresse ein|wähle deine|wählen sie ihren|bereits bei uns
        |email check failed|post was not sent|please follow and like us|share your feedback
        |are you sure you want to log out|remember me|forgot password|forgot your password
        |click here to register|by logging in|user agreement|terms of use and|password for your
        |password must be|characters long|capital letter|e mail or username|enter your details
        |enter your email|newsletter here|subscribe to our|click here and sign up|passwort muss
        |zeichen lang sein|einen großbuchstaben|mein konto|unseren nutzungsbedingungen
        |unserer datenschutzerklärung zu|diskutieren sie mit|j'accepte de recevoir
        |offres spéciales des|mot de passe|recevoir la newsletter|acepto recibir|tu contraseña
        |olvidaste tu contraseña|nuestro boletín|zapisz się na|hasło musi|zapomniałeś hasła
        |wyrażam zgodę na otrzymywanie|e bültenimize|şifrenizi|şifremi unuttum|كلمة المرور
        |نشرتنا البريدية|in your inbox|to your inbox|straight to your inbox|unsubscribe at any
        |newsletter in your|get the newsletter|follow us on|like us on|turn on notifications
        |enable notifications|newsletter abonnieren|jetzt newsletter|folgen sie uns|folgt uns
        |in ihr postfach|inscrivez vous|suivez nous|dans votre boîte|s'inscrire à
        |recibe en tu correo|síguenos|suscríbete a nuestro|en tu correo|zapisz się do|obserwuj nas
        |na swój adres|do newslettera|bizi takip edin|bültenimize|e posta adresinizi|تابعونا على
        |اشترك في نشرتنا|بريدك الإلكتروني|подпишитесь на|наш канал|рассылку|关注我们|订阅我们
        |扫码关注|never miss a story|sign up for alerts|top headlines every
    """,
    "site notice": """
        this material may not be published|broadcast rewritten or redistributed
        |may not be reproduced|reproduction is prohibited|data provided by|to see more visit
        |promotional website|advertorials and native|affiliate advertising program
        |earn fees by linking|affiliate commission|as is without warranty
        |without warranty of any kind|no responsibility for the content
        |not responsible for the content|does not endorse and|representative image
        |this story is from|your opinions matter|your opinion matters|there are no reviews yet
        |write a review|be the first to comment|comments are moderated|comments will be moderated
        |offers in the comments|in the comments section|what term do you want to search
        |search with google|use the arrow keys|add the following css|mark up below
        |tweet with a location|location information to your tweets|donate to|make a donation
        |your contribution will|of your contribution|left to raise|help us power
        |support our journalism|support our work|please contribute|please donate|share our posts
        |follow me on|in your news feeds|from your news feeds|alle rechte vorbehalten|ohne gewähr
        |mein kommentar|meine kommentare|kommentar funktion|kommentarfunktion|leser kommentieren
        |kommentare freigeschaltet|geben nur kommentare|kommentare zu veröffentlichen
        |einzelne kommentare|beiträge vorab|kommentierenden leser|auch kommentare die
        |werden sofort gelöscht|mit ihrer spende|unterstützen sie unsere arbeit|jetzt spenden
        |mit den pfeiltasten|auf unsere webseite|mail an|telegram kanal|tous droits réservés
        |faire un don|soutenez nous|avec les flèches|modération des commentaires
        |todos los derechos reservados|haz una donación|haga una donación|apóyanos|con las flechas
        |normas de los comentarios|wszelkie prawa zastrzeżone|strzałek na klawiaturze|wesprzyj nas
        |czekamy na wasze maile|publikacja dostępna na stronie|naszej społeczności
        |wiadomości z polski i ze świata|tüm hakları saklıdır|bize destek|ok tuşlarını|yorumlarınız
        |جميع الحقوق محفوظة|التبرع للموقع|ادعمونا|ادعموا الموقع|دون أي تعهدات أو ضمانات
        |صريحة أو ضمنية|إخلاء لمسؤوليتنا|لا نتحمل أي مسؤولية|مزود المقال|все права защищены
        |поддержите нас|поддержать проект|版权所有|转载请注明|支持我们|hit save|press enter
        |hit enter|press esc|press the escape|type your search|auto complete|keyboard shortcuts
        |share this article|copy link|share on facebook|email this|email us|have a story
        |got a story|news tip|story tip|got a tip|terms of use|by using this site|download our
        |download the app|e paper|on your tablet|patent pending|automatically posted
        |automatically generated|no human editors|report an error|report a typo
        |haben sie einen hinweis|hinweis für uns|haben sie infos|hast du infos|interessante infos
        |schreiben sie uns|schreibt uns|schicken sie uns|eure mitarbeit|ihre mithilfe|schick uns
        |telegram gruppe|auf telegram|unsere app|app herunterladen|artikel teilen|fehler melden
        |als e paper|écrivez nous|information à nous|contactez nous|téléchargez l'application
        |notre application|signaler une erreur|partager cet article|sur tablette|escríbenos
        |envíanos|contáctanos|descarga la app|descarga nuestra|nuestra app|comparte esta
        |compartir en|en tu tablet|edición digital|napisz do nas|masz dla nas|masz temat
        |adres redakcji|pobierz aplikację|naszej aplikacji|udostępnij artykuł|na tablecie|e wydanie
        |bize yazın|bize ulaşın|haber ihbar|uygulamamızı indirin|uygulamayı indir|e gazete
        |tablet ve telefon|راسلنا|راسلونا|تواصل معنا|اتصل بنا|حمل تطبيقنا|تطبيقنا|حمل التطبيق
        |напишите нам|свяжитесь с нами|сообщите нам|наше приложение|скачать приложение|нашли ошибку
        |联系我们|下载客户端|下载app|下载我们|comments are closed|community guidelines
        |without permission is prohibited
    """,
}
