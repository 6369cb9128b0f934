"""Phrases of notices that news seldom contains, by the kind of page, separated by |."""

from collections.abc import Mapping

PHRASES: Mapping[str, str] = {
    "block page": """
        access denied|you don't have permission to access|access to this page has been denied
        |verify you are human|verify that you are human|verify you are a human
        |confirm you are human|verify that you're not a robot|verify you are not a robot
        |prove you are not a robot|i'm not a robot|i am not a robot|are you a robot
        |checking your browser|checking if the site connection is secure|unusual activity from your
        |unusual traffic from|your ip address|your request has been blocked
        |your access has been blocked|you have been blocked|has been temporarily blocked
        |complete the captcha|solve the captcha|enter the characters|complete the security check
        |needs to review the security of your|ray id|performance security by cloudflare
        |403 forbidden|too many requests|automated access|suspicious activity from your
        |this request was blocked|ihre ip adresse|zugriff verweigert|dass sie kein roboter sind
        |ich bin kein roboter|ungewöhnlichen datenverkehr|ihre anfrage wurde blockiert
        |votre adresse ip|accès refusé|que vous n'êtes pas un robot|je ne suis pas un robot
        |que vous êtes humain|su dirección ip|acceso denegado|que no eres un robot|no soy un robot
        |que eres humano|que no es un robot|twój adres ip|adresu ip z którego|nie jestem robotem
        |odmowa dostępu|że nie jesteś robotem|ip adresiniz|robot olmadığınızı|ben robot değilim
        |erişim engellendi|insan olduğunuzu|أنك لست روبوت|أنا لست روبوت|لست برنامج روبوت|أنك إنسان
        |تم رفض الوصول|تم حظر عنوان|عنوان ip الخاص بك|что вы не робот|я не робот|доступ запрещен
        |доступ ограничен|ваш ip адрес|с вашего ip|что вы человек|请输入验证码|验证码错误
        |访问被拒绝|您的访问被|您的ip|确认您不是机器人|我不是机器人|安全验证|人机验证
        |you must be logged in|logged in to view|to view this video|viewer discretion is advised
        |sie müssen angemeldet sein|vous devez être connecté|debes iniciar sesión
        |musisz być zalogowany|giriş yapmalısınız|يجب تسجيل الدخول|you're not a robot
        |you are not a robot|you are a human|you're a human|you were a bot|automated requests
        |automated queries|unusual activity|security service to protect|triggered the security
        |incident id|support id|request unsuccessful|requested url|consult with your administrator
        |verify access|verifying your|access to this resource|access to this site
        |access to this server|bot detection|sent too many|protected by recaptcha
        |ungewöhnliche aktivitäten|sicherheitsüberprüfung|zu viele anfragen|sie ein mensch sind
        |trop de requêtes|activité inhabituelle|vérification de sécurité|vous êtes bien humain
        |actividad inusual|demasiadas solicitudes|verificación de seguridad
        |comprobando tu navegador|nietypowy ruch|zbyt wiele zapytań|że jesteś człowiekiem
        |sprawdzanie przeglądarki|olağandışı trafik|çok fazla istek|güvenlik doğrulaması
        |güvenlik kontrolü|نشاط غير عادي|التحقق من أنك|проверка браузера|проверяем ваш
        |подозрительная активность|слишком много запросов|подозрительный трафик|访问过于频繁
        |请稍后再试|异常流量|验证您是|you will be redirected|request is being verified
        |human verification|complete the puzzle|contact the site owner|have the rights to see
        |connection was flagged|prüfen ihren browser|подозрительные запросы|请完成验证|网络存在异常
    """,
    "error page": """
        404 not found|page not found|page you are looking for|page you were looking for
        |page you requested|page you're looking for|page does not exist|page cannot be found
        |page can't be found|page no longer exists|return to the homepage|go back to the homepage
        |internal server error|bad gateway|service unavailable|temporarily unavailable please
        |please try again later|something went wrong|reload the page|this video has failed to load
        |down for maintenance|seite nicht gefunden|seite wurde nicht gefunden|zurück zur startseite
        |gesuchte seite|seite existiert nicht|diese seite ist nicht verfügbar|page introuvable
        |page que vous recherchez|page que vous cherchez|page demandée|retour à l'accueil
        |página no encontrada|página que buscas|página que busca|página que está buscando
        |volver al inicio|página solicitada|nie znaleziono strony|strona której szukasz
        |strona nie istnieje|strony nie znaleziono|wróć na stronę główną|przejdź do strony głównej
        |sayfa bulunamadı|aradığınız sayfa|ana sayfaya dön|الصفحة غير موجودة|الصفحة التي تبحث
        |الصفحة المطلوبة غير|العودة إلى الصفحة الرئيسية|страница не найдена|запрашиваемая страница
        |вернуться на главную|такой страницы не существует|页面不存在|您访问的页面|返回首页
        |页面未找到|找不到页面|page could not be found|page couldn't be found|page isn't available
        |page is not available|page may have been|page has been removed|page has moved
        |may have been removed|may have been moved|link you followed|nothing was found
        |could not find the page|couldn't find the page|couldn't find that page|check the url
        |please refresh|please reload|refresh the page|page does not load|playback error
        |video is not available|video is unavailable|technical difficulties|undergoing maintenance
        |seite konnte nicht|leider nicht gefunden|seite neu laden|später noch einmal
        |versuchen sie es später|ist ein fehler aufgetreten|page n'existe|une erreur est survenue
        |réessayer plus tard|réessayez plus tard|hemos podido encontrar|página no existe
        |ha ocurrido un error|inténtalo de nuevo|inténtelo de nuevo|nie istnieje lub
        |została usunięta|wystąpił błąd|spróbuj ponownie|strona niedostępna|artık mevcut değil
        |bir hata oluştu|tekrar deneyin|daha sonra tekrar|الصفحة التي طلبتها|غير متاحة حاليا
        |حدث خطأ|حاول مرة أخرى|произошла ошибка|попробуйте позже|страница удалена
        |страница недоступна|页面无法|加载失败|出错了|bad request|could not process your
        |check back soon|you requested has expired|wurde verschoben oder|zur startseite
        |page est introuvable|página ya no existe|cambiado de dirección|nie znaleźliśmy takiej
        |do strony głównej|网页不存在|已被删除
    """,
    "script notice": """
        enable javascript|javascript is disabled|javascript to be enabled
        |javascript must be enabled|requires javascript|javascript enabled|turn on javascript
        |javascript is not enabled|enable cookies|cookies must be enabled|cookies are disabled
        |your browser is out of date|your browser does not support|update your browser
        |upgrade your browser|javascript aktivieren|aktivieren sie javascript
        |javascript ist deaktiviert|einen anderen browser|ihr browser unterstützt|ihren browser
        |activer javascript|javascript est désactivé|activez javascript|votre navigateur
        |habilitar javascript|active javascript|habilite javascript|su navegador|tu navegador
        |włącz javascript|włączyć javascript|włączona obsługa javascript|twoja przeglądarka
        |javascript'i etkinleştirin|javascript etkin|tarayıcınız|tarayıcınızda|تفعيل جافا سكريبت
        |تمكين جافا سكريبت|تفعيل javascript|تمكين javascript|متصفحك|включите javascript
        |javascript отключен|включить javascript|ваш браузер|вашем браузере|启用javascript
        |开启javascript|您的浏览器|浏览器版本过低|enable js|allow cookies|requires cookies
        |browser is not supported|unsupported browser|refresh your browser|supported browser
        |cookies disabled|accept cookies in|disable any ad|browser doesn't support|browser settings
        |aktivieren sie cookies|aktivieren sie bitte|browser wird nicht|ihrem browser
        |activer les cookies|autoriser les cookies|navigateur n'est pas|mettre à jour votre
        |habilitar las cookies|habilita las cookies|activa javascript|navegador no es compatible
        |włącz obsługę|zaktualizuj przeglądarkę|obsługę plików|twojej przeglądarce
        |tarayıcınızı güncelleyin|çerezleri etkinleştirin|tarayıcınız desteklenmiyor|تحديث المتصفح
        |متصفحك لا يدعم|обновите браузер|включите cookie|请升级浏览器|请启用|javascript seems
        |turned off in your|update your settings
    """,
    "ad blocker notice": """
        ad blocker|your adblocker|disable your ad|turning off your ad|using an ad blocker
        |you're blocking ads|you are blocking ads|whitelist our site|adblock plus|ihren adblocker
        |ihren werbeblocker|adblocker deaktivieren|werbeblocker deaktivieren|deaktivieren sie ihren
        |adblocker aktiv|désactiver votre bloqueur|bloqueur de publicité|un adblock|votre bloqueur
        |bloqueador de anuncios|desactiva tu bloqueador|tu bloqueador|wyłącz adblocka
        |wyłącz adblock|korzystasz z adblocka|blokowania reklam|adblocka|reklam engelleyici
        |reklam engelleyicinizi|مانع الإعلانات|مانع إعلانات|блокировщик рекламы
        |отключите блокировщик|отключите adblock|广告拦截|utilisez un adblock|utilisez un bloqueur
        |pouvez le désactiver|désactiver juste pour ce site|formats publicitaires|dzięki reklamom
        |reklamy nie są|udostępniać ci nasze|mit adblock|usas un bloqueador
        |reklam engelleyici kullanıyorsunuz
    """,
    "consent wall": """
        we use cookies|request cookies|uses cookies|use of cookies|accept cookies
        |accept all cookies|accept all|reject all|these cookies|cookies on your|cookie settings
        |cookie policy|cookie preferences|third party cookies|stores cookies|we value your privacy
        |our privacy policy|privacy policy|privacy notice|before you continue|we and our partners
        |our partners store|consent to the use|manage preferences|manage your privacy
        |your personal data|your personal information|your consent|you consent to
        |general data protection regulation|wir verwenden cookies|verwendet cookies
        |verwenden cookies|website cookies|webseite cookies|nutzt cookies|ermöglichen cookies
        |verwendung von cookies|speicherung von cookies|alle cookies|cookie einstellungen
        |datenschutzerklärung|datenschutzbestimmungen|datenschutzrichtlinie|datenschutzrichtlinien
        |ihre einwilligung|ihre zustimmung|ihrer daten|ihrer persönlichen daten|alle akzeptieren
        |akzeptieren und schließen|wir und unsere partner|informationen über sie
        |unsere datenschutzerklärung|unserer datenschutzerklärung|datenschutz grundverordnung
        |nous utilisons des cookies|utilise des cookies|utilisation de cookies|accepter les cookies
        |utilisation des cookies|tout accepter|tout refuser|nos partenaires|vos données
        |votre consentement|vie privée|politique de confidentialité|accepter et fermer
        |informations techniques|usamos cookies|utilizamos cookies|utiliza cookies|uso de cookies
        |aceptar todo|aceptar todas|aceptar cookies|política de cookies|política de privacidad
        |su consentimiento|tu consentimiento|nuestros socios|sus datos|tus datos
        |używamy plików cookie|używa plików cookie|plików cookies|pliki cookies|pliki cookie
        |plików cookie|polityka prywatności|polityce prywatności|polityki prywatności
        |politykę prywatności|przetwarzania danych|przetwarzanie danych|danych osobowych|twoje dane
        |twoich danych|twoje zgody|twoją zgodę|nasi partnerzy|naszych partnerów|wycofać zgodę
        |zaakceptuj i|akceptuję|çerez kullanıyoruz|çerezler|çerezlerden|çerezleri
        |çerez politikasını|çerez politikası|gizlilik politikası|gizlilik politikasını
        |kişisel verilerinizin|tümünü kabul et|ملفات تعريف الارتباط|ملفات الارتباط|سياسة الخصوصية
        |بياناتك الشخصية|قبول الكل|الموافقة على جميع|мы используем cookie|мы используем файлы
        |использует файлы cookie|файлы cookie|файлов cookie|политика конфиденциальности
        |политикой конфиденциальности|ваших персональных данных|принять все|принять и закрыть
        |我们使用cookie|使用cookie|接受所有|隐私政策|全部接受|blocking any or all cookies
        |without cookies|cookies in your browser|cookies in|externen inhalt|externer inhalt
        |externe inhalte|personenbezogene daten an|mit einem klick anzeigen|ihre persönlichen daten
        |schutz ihrer|arten von daten|ihre rechte bezüglich|contenu externe|contenus externes
        |vos données personnelles|contenido externo|contenidos externos|sus datos personales
        |tus datos personales|treści zewnętrzne|podmioty trzecie|twoje zgody na|twojej zgody
        |dane osobowe|przetwarzać twój|przetwarzać twoje|przetwarzane w|administratorem danych
        |administratorów danych|administratora danych|administratorem twoich|prawo do sprzeciwu
        |plikach cookies|zaufani partnerzy|zaufanych partnerów|naszych stronach|wyrazisz zgodę
        |personalizację treści|przetwarzamy tylko|dane przetwarzamy|zgadzasz się na|harici içerik
        |kişisel verileriniz|المحتوى الخارجي|بياناتك|also use cookies|use cookies to
        |may use cookies|use cookies and|storing of cookies|by clicking accept|agree to our
        |terms of service|privacy settings|similar technologies|data protection laws
        |mit der nutzung|stimmst du|ähnliche technologien|technologies similaires|aceptas el
        |acepta el|aceptas nuestra|tecnologías similares|zgodę na używanie|kabul etmiş|باستمرارك في
        |продолжая пользоваться|продолжая использовать|вы соглашаетесь|同意我们|继续使用
        |cookies on this site|necessary cookies|ad free experience|besoin de votre accord
        |permiso para usar cookies|kullanılmaktadır kabul
    """,
    "paywall": """
        subscribe to continue|subscribe to read|subscription to continue|to continue reading
        |continue viewing content|already a subscriber|already subscribe|if you are a subscriber
        |are a subscriber|print subscriber|subscribers click|subscribers only|for subscribers
        |subscriber account|your subscription|digital subscription|purchase a subscription
        |unlimited access|full access|free access|free views|free articles|complimentary access
        |subscribe now|subscribe today|log in to read|sign in to read|please sign in|please log in
        |sign in below|create an account|create a free account|register now|register here
        |once registered|log in sign up|cancel anytime|your digital subscription
        |upgrade your subscription|access members receive|for all access|subscribing to our
        |digital subscriber|this article is reserved for|start your free trial|take a free trial
        |jetzt weiterlesen|diesen artikel zu lesen|probemonat|um weiterzulesen|weiterlesen mit
        |plus weiterlesen|jetzt abonnieren|bitte melden sie sich an|melden sie sich an
        |sie sich anmelden|ich mich anmelden|noch keinen zugang|registrieren sie sich
        |bereits abonnent|als abonnent|für abonnenten|abonnenten vorbehalten|plus abonnenten
        |bezahlpflichtigen artikel|bezahlpflichtige artikel|sie sich eingeloggt
        |benutzernamen und passwort|passwort vergessen|ihre e mail|digitalen archiv|probeabo
        |plus zugang|benutzerkonto|jederzeit kündbar|réservé aux abonnés|réservé à nos abonnés
        |pour lire la suite|déjà abonné|abonnez vous|poursuivre votre lecture|connectez vous
        |créer un compte|sans engagement|contenido exclusivo|solo para suscriptores
        |para suscriptores|suscríbete para|suscríbete ahora|suscríbase|para seguir leyendo
        |ya eres suscriptor|inicia sesión|regístrate|acceso digital|tylko dla prenumeratorów
        |dla subskrybentów|aby czytać dalej|czytaj dalej|wykup dostęp|zaloguj się|masz już konto
        |masz już prenumeratę|aby przeczytać|zarejestruj się|okumaya devam etmek için|abone olun
        |aboneler için|giriş yapın|üye olun|للمشتركين فقط|لمتابعة القراءة|اشترك الآن|سجل الدخول
        |تسجيل الدخول|لقراءة المزيد اشترك|только для подписчиков|доступно подписчикам
        |чтобы продолжить чтение|оформите подписку|уже есть подписка|войдите в|зарегистрируйтесь
        |订阅后|仅限订阅|继续阅读|请先登录|登录后|立即订阅|会员专享|get full access
        |per week for the first|per month for the first|for the first month|first time subscribers
        |reduced price for|we accept visa|with no ads|current subscriber|current print subscriber
        |not a subscriber|print subscription|online subscription|subscription is required
        |registered users can|full trial|free trial|trial request|on another device
        |uneingeschränkt zur verfügung|auf einem anderen gerät|nur auf einem gerät|loggen sie sich
        |loggen sich|monatlich kündbar|gratis testen|kostenlos testen|sur un autre appareil
        |en otro dispositivo|leer sin límites|sin suscripción|tu suscripción|según la suscripción
        |te suscribas|me suscribo|suscripción digital|notas gratis|na innym urządzeniu
        |nieograniczony dostęp|başka bir cihazda|sınırsız erişim|على جهاز آخر|وصول غير محدود
        |на другом устройстве|registered users|registered readers|register or log in
        |log in or register|log in to continue|sign in to continue|register to continue
        |register for free|to keep reading|become a member|members only|unlock this|premium content
        |premium article|this article is for|exclusive to subscribers|exclusively for subscribers
        |article limit|limit of free|remaining articles|articles remaining|articles this month
        |free articles left|start your subscription|start a free|gift this article|subscribe for
        |subscribe to get|registrierte nutzer|kostenlos registrieren|jetzt registrieren
        |jetzt testen|exklusiv für|nur für abonnenten|artikel freischalten|premium artikel
        |il vous reste|réservée aux abonnés|la suite est réservée|article à lire|offre d'abonnement
        |accès illimité|contenu réservé|lire la suite|identifiez vous|vous abonner
        |exclusivo para suscriptores|suscríbete por|acceso ilimitado|hazte socio|hazte premium
        |inicia sesión para|regístrate gratis|límite de artículos|kup dostęp|cały artykuł
        |pełny dostęp|dostęp do treści|dalsza część|zaloguj się lub|subskrybuj|giriş yapmanız
        |haberin devamı|devamını okumak|devamı için|abone ol|şimdi abone|üyelerimize özel
        |abonelere özel|ücretsiz üye|للاشتراك|اشترك للاطلاع|محتوى حصري|لقراءة المقال|متاح للمشتركين
        |только по подписке|доступен только|войти или|полный доступ|подписку чтобы|уже подписаны
        |付费内容|阅读全文|开通会员|登录查看|剩余内容|订阅解锁|exclusively to members
        |available to members|not logged in|for free or pay|mitglied werden|für mitglieder
        |réservé à nos membres|vous pour continuer|tamamını okumak|üye girişi|hesabınızla giriş
        |登录后查看
    """,
    "region notice": """
        not available in your region|not available in your country|not available in your location
        |unavailable in your region|unavailable in your country|unavailable for legal reasons
        |unavailable in most european|in ihrem land nicht|in ihrer region nicht
        |pas disponible dans votre|no está disponible en tu|no está disponible en su
        |niedostępna w twoim|niedostępne w twoim|ülkenizde|bölgenizde|غير متاح في منطقتك
        |غير متوفر في بلدك|غير متاح في بلدك|недоступен в вашей|недоступен в вашем
        |недоступно в вашей|недоступно в вашем|在您所在的地区|您所在的国家|unavailable in your area
        |not available in your area|available in your area|aus lizenzrechtlichen
        |in deinem land nicht|twoim kraju|twoim regionie|вашей стране|вашем регионе
        |available in your country|available in your region
    """,
    # Site boilerplate: sign-up boxes, and notices around an article.
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


# Complete titles of pages that are no article.
NOTICE_TITLES: Mapping[str, str] = {
    "block page": """
        access denied|access to this page has been denied|attention required
        |attention required cloudflare|just a moment|are you a robot|human verification
        |bot verification|robot check|verify you are human|403 forbidden|403|error 403
        |request blocked|too many requests|429 too many requests|pardon our interruption
        |zugriff verweigert|accès refusé|acceso denegado|dostęp zabroniony|odmowa dostępu
        |erişim engellendi|доступ запрещен|تم رفض الوصول|访问被拒绝|安全验证
    """,
    "error page": """
        404|404 not found|error 404|404 error|page not found|404 page not found|server error
        |internal server error|500 internal server error|502 bad gateway|503 service unavailable
        |service unavailable|site maintenance|under maintenance|seite nicht gefunden
        |page introuvable|page non trouvée|página no encontrada|nie znaleziono strony
        |strona nie istnieje|sayfa bulunamadı|страница не найдена|الصفحة غير موجودة|页面不存在
        |页面未找到|找不到页面
    """,
    "consent wall": """
        before you continue|before you continue to google|we value your privacy|cookie consent
        |privacy settings|your privacy choices|datenschutzeinstellungen|no cookies|votre vie privée
        |su privacidad
    """,
    "region notice": """
        451 unavailable for legal reasons|unavailable for legal reasons
        |not available in your region|not available in your country
    """,
}

# Phrases about the site or to its reader: no evidence alone, but part of a notice beside others.
SITE_PHRASES = """
    the website you are|the site you are|this app|more information at|information is available at
    |beyond our control|our website|our websites|our site|our sites|this website|this site
    |on this page|our partners|your browser|your device|your account|your experience|your mind
    |our online edition|for legal reasons|aus rechtlichen gründen|european economic area|log in
    |login|sign in|sign up|all rights reserved|our services|our articles|unserer website
    |unserer webseite|unserer seite|unserer partner|unser angebot|unserem angebot
    |wir empfehlen ihnen|ihr browser|der browser|internet explorer|notre site|nos services
    |votre appareil|nuestro sitio|nuestra web|tu dispositivo|su dispositivo|naszego serwisu
    |naszych serwisów|nasz serwis|nasze treści|nasze artykuły|naszej domeny|sitemizi|sitemizde
    |sitemiz|موقعنا|наш сайт|нашем сайте|нашего сайта|本网站|本站|我们的网站|back to page
    |stay on top of|all access|customer service|mobile devices|e edition|your computer
    |your browser settings|click here|klicken sie|cliquez sur|haz clic|haga clic|kliknij|tıklayın
    |اضغط هنا|in kraft getreten|personenbezogene daten|ihren persönlichen|ihr konto|anzeigen lassen
    |daten die wir|dieser e mail|diese e mail|diese email|de la edición impresa|seguir leyendo
    |przetwarzania|przetwarzanie|dane zbierane|twoją tożsamość|profilowania|administrator danych
    |rodo|للموقع|الموقع الرئيسي|currently unavailable|no longer available|temporarily unavailable
    |latest version of|per month|a month cancel|days free|membership|join today|continue reading
    |to read more|weiterlesen|pozostało|european countries|terms and conditions|agree to the
    |votre pays|votre région|tu país|tu región|su región|error code|for members|try again later
    |check the address|mit abo|im abo|vous acceptez|stimmen sie|by continuing to|en continuant
    |en poursuivant|al continuar|korzystając z|devam ederek|slow down|not a bot|one more step
    |about us|contact us|send us|write to us|app store|google play|tablet or|phone or tablet
    |phone and tablet|on your phone|sign up to|sign up and|join our|tablet und|tablet ve|print this
    |have a tip
"""

# A long notice, such as a consent wall with all its clauses, has one of these words near its start.
OPENING_WORDS = """
    cookies|cookie|javascript|browser|password|subscription|subscriber|trial|privacy|gdpr|passwort
    |datenschutz|dsgvo|datenschutzerklärung|abonnent|werbeblocker|adblocker|confidentialité
    |navigateur|abonnés|privacidad|navegador|suscripción|contraseña|prywatności|rodo|przeglądarka
    |ciasteczka|adblocka|zgody|osobowych|çerez|çerezler|tarayıcınız|gizlilik|abonelik|ارتباط
    |الخصوصية|متصفحك|конфиденциальности|браузер|подписка
"""
